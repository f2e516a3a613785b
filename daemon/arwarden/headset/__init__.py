"""A headset without a headset: streams pictures, shows and acknowledges what comes back."""
