"""arwarden: warns the wearer of an AR headset of virtual content that contradicts itself."""

__version__ = "0.1.0"
