"""Signals: Fourier and cosine transforms, frames, windows, spectra."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.ops.signal.cosines import (
    dct as dct, idct as idct, inverse_mdct as inverse_mdct, mdct as mdct,
)
from runtime.ops.signal.frames import frame as frame, overlap_and_add as overlap_and_add
from runtime.ops.signal.spectra import (
    inverse_stft as inverse_stft, inverse_stft_window_fn as inverse_stft_window_fn,
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms, stft as stft,
)
from runtime.ops.signal.transforms import (
    fft as fft, fft2d as fft2d, fft3d as fft3d, fftshift as fftshift, ifft as ifft,
    ifft2d as ifft2d, ifft3d as ifft3d, ifftshift as ifftshift, irfft as irfft, irfft2d as irfft2d,
    irfft3d as irfft3d, rfft as rfft, rfft2d as rfft2d, rfft3d as rfft3d,
)
from runtime.ops.signal.windows import (
    hamming_window as hamming_window, hann_window as hann_window,
    kaiser_bessel_derived_window as kaiser_bessel_derived_window, kaiser_window as kaiser_window,
    vorbis_window as vorbis_window,
)

__dir__ = _facade(__name__)
