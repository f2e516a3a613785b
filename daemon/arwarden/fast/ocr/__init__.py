"""Reading text: one small interface, several engines. Engines are picked by ``auto.open_reader``."""
