"""MQTT 5 out, acknowledgements in, embedded broker."""
