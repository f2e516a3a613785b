"""What all model cards share."""
