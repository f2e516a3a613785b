"""Finding the virtual elements in a picture and saying what they are."""
