"""Images: tensors of shape (height, width, channels), or (batch, height, width, channels)."""
