"""The wire: models of every MQTT message and of the data channel. Imports nothing of ours."""
