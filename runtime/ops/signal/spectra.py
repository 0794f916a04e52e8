"""Spectra of short times, and their frequencies as the ear hears them."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int, static_number
from runtime.ops.image.sizes import as_length, dimension
from runtime.ops.signal.cosines import dct
from runtime.ops.signal.frames import frame, overlap_and_add
from runtime.ops.signal.transforms import irfft, rfft
from runtime.ops.signal.windows import Window, hann_window


def _enclosing_power_of_two(length: Any) -> int:
    known = static_int(length, "frame_length, where fft_length is None,")
    return 1 << (known - 1).bit_length() if known > 0 else 0


def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Window | None = hann_window, pad_end: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The spectra of overlapping frames: the short-time Fourier transform.

    Args:
        signals: (..., samples), float32 or float64, of a known rank.
        frame_length, frame_step, fft_length: integers; the last is by default the power of 2 that
            is not below the first.
        window_fn: a function of a length and a `dtype`, or None for no window.
        pad_end: True to fill up the last frames with zeros.

    Returns (..., frames, fft_length // 2 + 1), complex. Raises WrongDtypeError for other dtypes.

    >>> rt.abs(rt.signal.stft(rt.ones([6]), 4, 2)).numpy().round(3).tolist()
    [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
    """
    x = convert_to_tensor(signals)
    length = as_length(frame_length, "frame_length")
    fft_length = _enclosing_power_of_two(length) if fft_length is None else fft_length
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [as_length(fft_length, "fft_length")])


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """A window for `inverse_stft` with which it gives back what `stft` was given.

    The window divides that of `stft` by the sum of the squares of all that overlap, as Griffin and
    Lim do ("Signal estimation from modified short-time Fourier transform", 1984).

    >>> rt.signal.inverse_stft_window_fn(2)(4).numpy().round(3).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    step = static_int(frame_step, "frame_step")

    def window_fn(frame_length: Any, dtype: Any = dtypes.float32) -> Tensor:
        length = static_int(frame_length, "frame_length")
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = ops.pad(ops.square(window), [[0, overlaps * step - length]])
        total = ops.reduce_sum(ops.reshape(squares, [overlaps, step]), 0, True)
        return window / ops.reshape(ops.tile(total, [overlaps, 1]), [-1])[:length]

    return window_fn


def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Window | None = hann_window, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal of these spectra: the inverse of `stft`.

    Args:
        stfts: (..., frames, fft_length // 2 + 1), complex, of a known rank.
        frame_length, frame_step, fft_length: those of `stft`.
        window_fn: `inverse_stft_window_fn(frame_step)` where the signal is to be that of `stft`.

    Returns (..., samples), real. Raises WrongDtypeError for real spectra.

    >>> window = rt.signal.inverse_stft_window_fn(2)
    >>> spectra = rt.signal.stft(rt.ones([6]), 4, 2)
    >>> rt.signal.inverse_stft(spectra, 4, 2, window_fn=window).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 0.5]
    """
    z = convert_to_tensor(stfts)
    length = as_length(frame_length, "frame_length")
    fft_length = _enclosing_power_of_two(length) if fft_length is None else fft_length
    whole = as_length(fft_length, "fft_length")
    frames = irfft(z, [whole])[..., :length]
    if isinstance(length, int) and isinstance(whole, int) and length > whole:
        rest = [[0, 0]] * (len(frames.shape) - 1)
        frames = ops.pad(frames, [*rest, [0, length - whole]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def _mel(hertz: Any) -> Any:
    """Frequencies on the scale of O'Shaughnessy, "Speech communication" (1987)."""
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0, upper_edge_hertz: Any = 3800.0, dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The matrix that takes spectra to bands on the mel scale: triangles that overlap by half.

    All arguments are numbers that tracing knows. Returns (num_spectrogram_bins, num_mel_bins) of
    `dtype`, a float. Raises InvalidArgumentError (ValueError while tracing) for frequencies out of
    order.

    >>> rt.signal.linear_to_mel_weight_matrix(1, 5, dtype=rt.float64).numpy().round(1).T.tolist()
    [[0.0, 0.9, 0.6, 0.2, 0.0]]
    """
    bands, bins = static_int(num_mel_bins, "num_mel_bins"), num_spectrogram_bins
    rate, low, high = (
        static_number(value, what)
        for value, what in (
            (sample_rate, "sample_rate"), (lower_edge_hertz, "lower_edge_hertz"),
            (upper_edge_hertz, "upper_edge_hertz"),
        )
    )  # fmt: skip
    if bands < 1 or rate <= 0 or not 0 <= low < high <= rate / 2:
        raise wrong_value(
            "a mel matrix needs bands, and 0 <= lower_edge_hertz < upper_edge_hertz <= "
            f"sample_rate / 2; got {bands} bands from {low} to {high} at {rate}"
        )
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise wrong_dtype(f"dtype must be a float, not {kind.name}")
    # The constant component has no frequency, and no weight.
    places = _mel(np.linspace(0.0, rate / 2, static_int(bins, "num_spectrogram_bins"))[1:, None])
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    below, centre, above = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (places - below) / (centre - below), (above - places) / (above - centre)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return convert_to_tensor(np.pad(weights, [[1, 0], [0, 0]]).astype(kind.np_dtype))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The cepstral coefficients of logarithmic mel spectra, scaled as HTK does.

    `log_mel_spectrograms` is (..., bands), float32 or float64, and so is the result, of which the
    first dozen are usually kept. InvalidArgumentError (ValueError while tracing) where there are no
    bands.

    >>> rt.signal.mfccs_from_log_mel_spectrograms([1., 1.]).numpy().round(3).tolist()
    [2.0, 0.0]
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if x.ndim == 0:
        raise wrong_value("a spectrogram has bands, a scalar has none")
    bands = dimension(x, -1)
    if isinstance(bands, int) and bands < 1:
        raise wrong_value(f"there must be a band at least, got shape {x.shape}")
    return dct(x) * ops.cast(ops.pow(ops.cast(bands, x.dtype) * 2.0, -0.5), x.dtype)
