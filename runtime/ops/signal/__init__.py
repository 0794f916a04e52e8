"""Signals: Fourier and cosine transforms, frames, windows, spectra of short times."""
