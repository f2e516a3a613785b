"""Runs that can be stopped and go on: every question to every method once, one line of JSON for each answer.

``calls``     what is asked and what comes back. ``store``: the file of rows.
``engine``    asks, a few at a time. ``carry_out``: the same with price, progress and cost for a command.
``methods``   what ``--judge`` may name. ``judging`` and ``fast``: methods opened.
``plan``      what a suite is about to ask.
``cluster``   workers of a Ray cluster that ask: ``recipe`` is what they get, ``asker`` what they do,
              ``placing`` which of them is asked.
``media``     pictures out of files. ``spent``: what answers took.
``output``    summaries, tables and figures.
"""
