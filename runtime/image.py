"""Operations on images."""

# fmt: off
# ruff: noqa: I001
from runtime.ops.image import (
    ResizeMethod as ResizeMethod, adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast, adjust_gamma as adjust_gamma, adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation, central_crop as central_crop,
    convert_image_dtype as convert_image_dtype, crop_to_bounding_box as crop_to_bounding_box,
    flip_left_right as flip_left_right, flip_up_down as flip_up_down,
    grayscale_to_rgb as grayscale_to_rgb, hsv_to_rgb as hsv_to_rgb,
    image_gradients as image_gradients, pad_to_bounding_box as pad_to_bounding_box,
    per_image_standardization as per_image_standardization, psnr as psnr,
    random_brightness as random_brightness, random_contrast as random_contrast,
    random_crop as random_crop, random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down, random_hue as random_hue,
    random_saturation as random_saturation, resize as resize,
    resize_with_crop_or_pad as resize_with_crop_or_pad, resize_with_pad as resize_with_pad,
    rgb_to_grayscale as rgb_to_grayscale, rgb_to_hsv as rgb_to_hsv, rot90 as rot90,
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_crop as stateless_random_crop,
    stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down,
    total_variation as total_variation, transpose as transpose,
)
