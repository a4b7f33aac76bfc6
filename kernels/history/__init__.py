"""What a model remembers beside its classic state: samples of controls and sensors, and springs that yielded."""
