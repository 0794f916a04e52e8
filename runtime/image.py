"""Operations on images."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.ops.image.boxes import (
    crop_and_resize as crop_and_resize, non_max_suppression as non_max_suppression,
)
from runtime.ops.image.colors import (
    adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma, adjust_hue as adjust_hue, adjust_saturation as adjust_saturation,
    convert_image_dtype as convert_image_dtype, grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb, per_image_standardization as per_image_standardization,
    random_brightness as random_brightness, random_contrast as random_contrast,
    random_hue as random_hue, random_saturation as random_saturation,
    rgb_to_grayscale as rgb_to_grayscale, rgb_to_hsv as rgb_to_hsv,
    rgb_to_yiq as rgb_to_yiq, rgb_to_yuv as rgb_to_yuv, yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_hue as stateless_random_hue,
    stateless_random_saturation as stateless_random_saturation,
)
from runtime.ops.image.cropping import (
    central_crop as central_crop, crop_to_bounding_box as crop_to_bounding_box,
    pad_to_bounding_box as pad_to_bounding_box, random_crop as random_crop,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
    stateless_random_crop as stateless_random_crop,
)
from runtime.ops.image.flipping import (
    flip_left_right as flip_left_right, flip_up_down as flip_up_down,
    random_flip_left_right as random_flip_left_right, random_flip_up_down as random_flip_up_down,
    rot90 as rot90, stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down, transpose as transpose,
)
from runtime.ops.image.metrics import (
    image_gradients as image_gradients, psnr as psnr, ssim as ssim,
    ssim_multiscale as ssim_multiscale,
    total_variation as total_variation,
)
from runtime.ops.image.patches import extract_patches as extract_patches, sobel_edges as sobel_edges
from runtime.ops.image.resizing import (
    ResizeMethod as ResizeMethod, resize as resize, resize_with_pad as resize_with_pad,
)

__dir__ = _facade(__name__)
