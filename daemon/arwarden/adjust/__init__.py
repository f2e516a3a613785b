"""The app's own objects: what is known of them, and the loop that has a judge correct them."""
