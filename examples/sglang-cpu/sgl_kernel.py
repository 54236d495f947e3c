"""Stands in for the package sgl-kernel where there is no GPU.

SGLang imports names of sgl_kernel while it loads, also those that it never
calls on a CPU, and the real package cannot be loaded without a CUDA driver.
Here every name, and every name of every submodule, is something that can be
imported and passed on, and that raises when it is called. Nothing is
registered under torch.ops, so SGLang takes its plain PyTorch paths.
"""

import importlib.abc
import importlib.machinery
import sys
import types

__version__ = "0.3.21"
__path__ = []  # makes this file a package, so that submodules can be imported


class _Absent:
    """A function or class of the real package: it can be named, never called."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, attribute):
        return _absent_in(self.__name__)(attribute)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} was called, but there is no GPU: sgl_kernel is a stand-in")

    def __repr__(self):
        return f"<{self.__name__}, absent>"


def _absent_in(parent):
    def __getattr__(name):
        if name.startswith("__"):  # Python asks for these on its own: they must be truly absent
            raise AttributeError(name)
        return _Absent(f"{parent}.{name}")

    return __getattr__


class _Submodules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(__name__ + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        module.__getattr__ = _absent_in(module.__name__)


sys.meta_path.append(_Submodules())
__getattr__ = _absent_in(__name__)
