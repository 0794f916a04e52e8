"""Which of Keras' own tests are not run with this backend, and why: patterns of their names, from
the folder of the package.
"""

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
}

TESTS = {
    "*float8*": "8-bit floats are not supported",
    "*quantize*": "8-bit numbers are not supported",
    "*int4*": "4-bit numbers are not supported",
    "*sparse_tensor*": "sparse tensors are not supported",
    "*ragged*": "ragged tensors are not supported",
}
