"""How good the fast tier is: verdicts on scenes, clips and empty pictures that nothing was tuned on."""
