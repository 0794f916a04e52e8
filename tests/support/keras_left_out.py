"""Which of Keras' own tests are not run with this backend, and why: patterns of their names, from
the folder of the package.
"""

import sys

FILES = {
    "src/backend/jax/*": "they are of another backend",
    "src/backend/torch/*": "they are of another backend",
    "src/backend/tensorflow/*": "they are of another backend",
    "src/backend/openvino/*": "they are of another backend",
    "src/utils/jax_layer_test.py": "they are of another backend",
    "src/export/*": "there is no export: a graph is saved by runtime.saved_model",
    "src/distribution/*": "a model is on one machine",
    "src/callbacks/orbax_checkpoint_test.py": "they need orbax, which is JAX's",
    "src/trainers/data_adapters/tf_dataset_adapter_test.py": "they are of TensorFlow's datasets",
    "src/trainers/data_adapters/torch_data_loader_adapter_test.py": "they need PyTorch",
    "src/trainers/data_adapters/grain_dataset_adapter_test.py": "they need grain",
    "src/quantizers/*": "8-bit numbers are not supported",
    "src/applications/*": "they load weights from the network",
    "src/utils/audio_dataset_utils_test.py": "files are read by TensorFlow's audio ops",
    "src/utils/image_dataset_utils_test.py": "files are read by TensorFlow's image ops",
    "src/utils/text_dataset_utils_test.py": "files are read by TensorFlow's text ops",
    "src/utils/timeseries_dataset_utils_test.py": "they make TensorFlow's or grain's datasets",
    "src/utils/dataset_utils_test.py": "they split TensorFlow's or PyTorch's datasets",
    "src/utils/torch_utils_test.py": "they need PyTorch",
    "src/utils/backend_utils_test.py": "they switch between other backends",
}

# What Keras' files for TensorFlow do otherwise; a test makes an exception of TensorFlow by name.
_AS_TENSORFLOW = "Keras' files for TensorFlow do otherwise, and the test makes an exception of it"

TESTS = {
    "*::CoreOpsCorrectnessTest::test_scan": _AS_TENSORFLOW,
    "*::test_affine_transform_*_mirror": _AS_TENSORFLOW,
    "*::test_affine_transform_*_wrap": _AS_TENSORFLOW,
    "*::LinalgOpsCorrectnessTest::test_lu_factor": _AS_TENSORFLOW,
    "*::test_segment_reduce_explicit_num_segments[2-5]": _AS_TENSORFLOW,
    "*::test_segment_prod_call_sorted": _AS_TENSORFLOW,
    "*::test_dot_product_attention_*)_true": _AS_TENSORFLOW,
    "*::TestSpectrogram::test_spectrogram_channels_first": _AS_TENSORFLOW,
    "*::TestSpectrogram::test_spectrogram_channels_broadcasting": "it compares float32 sums to "
    "1e-6, which a matrix product of another number of rows makes in another order",
    # The results are TensorFlow's int64; the tests make them for TensorFlow without uint32.
    "*::NumpyDtypeTest::*('uint32', 'int*')": _AS_TENSORFLOW,
    "*::NumpyDtypeTest::*('int*', 'uint32')": _AS_TENSORFLOW,
    "*::VariableOpsDTypeTest::*('uint32', 'int*')": _AS_TENSORFLOW,
    "*::DtypesTest::test_result_type_with_tensor_int*_uint32": _AS_TENSORFLOW,
    "*::DtypesTest::test_result_type_with_tensor_uint32_int*": _AS_TENSORFLOW,
    "*::NumpyOneInputOpsCorrectnessTest::test_i0": "Bessel functions are not supported",
    "*::test_backend_consistency_core": "it compares signatures with their annotations",
    "*::test_save_model_exception_raised_*": "a file that cannot be saved is not there afterwards",
    "*::KerasTensorTest::test_invalid_usage": "it tells the words of other backends",
    "*::test_deferred_initialize_within_stateless_scope": "it tells the words of other backends",
    "*grain*": "they need grain",
    "*flash*": "TensorFlow has no flash attention, and Keras' files for it refuse it",
    "*torch_dataloader*": "they need PyTorch",
    "*tf_sparse*": "sparse tensors are not supported",
    "*scipy_sparse*": "sparse tensors are not supported",
    "*::test_export_error": "it tells the message of other backends",
    "*::test_disk_io_store_remote_working_dir_is_preserved": "paths are local",
    "*::test_remove_weights_only_saving_and_loading": "paths are local",
    "*::test_load_model_from_remote*": "paths are local",
    "*::test_legacy_load_skips_missing_nested_containers": "its file is not in the package",
    "*::test_tensors_and_shapes": "it looks into TensorFlow's own classes",
    "*tfdata": "they tell the words for TensorFlow's datasets",
    "*::test_dropout_rescaling": "it holds for the random numbers of a seed, which are others here",
    "*float8*": "8-bit floats are not supported",
    "*quantize*": "8-bit numbers are not supported",
    "*int4*": "4-bit numbers are not supported",
    "*sparse_tensor*": "sparse tensors are not supported",
    "*::FeatureSpaceTest::test_tf_data_async_processing": "no FeatureSpace in a dataset's map yet",
    "*::test_TensorBoard_non_blocking": "it replaces a method of TensorFlow's tensors",
    "*::CenterCropTest::test_dynamic_spatial_dims": "outputs of several sizes are ragged tensors",
    "*::test_random_*_tf_data_bounding_boxes_*": "they change an argument, which is refused",
    "*::RandomFlipTest::test_tf_data_compatibility": "it holds for the random numbers of a seed",
    "*ragged*": "ragged tensors are only what layers for words make inside",
}
if sys.version_info >= (3, 14):
    # A program of a user's is imported by its workers, and `runtime.keras` with it.
    TESTS["*multiprocessing*"] = "workers begin anew, and import Keras without this backend"
