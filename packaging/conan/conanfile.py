# SPDX-License-Identifier: Apache-2.0
"""The Conan 2 recipe: `conan create packaging/conan`; with `-o "&:parts=core"` for the part core and what it needs.

`-o "&:system=True"` takes the libraries of the system (Debian's or Ubuntu's packages) in place of Conan's; they are
installed where `-c tools.system.package_manager:mode=install` allows it, and checked for otherwise."""

import json
import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps
from conan.tools.system.package_manager import Apt

# Of each part: Conan's packages, and Debian's.
PACKAGES = {
    "core": {"highway/[>=1.0.3]": "libhwy-dev", "onetbb/[>=2021]": "libtbb-dev"},
    "notation": {"nlohmann_json/[>=3.11]": "nlohmann-json3-dev"},
    "io": {
        "libjpeg-turbo/[>=2.1]": "libjpeg-dev",
        "libpng/[>=1.6]": "libpng-dev",
        "isa-l/[>=2.30]": "libisal-dev",
        "minizip/[>=1.2]": "libminizip-dev",
        "libtiff/[>=4.5]": "libtiff-dev",
        "libdeflate/[>=1.14]": "libdeflate-dev",
        "zstd/[>=1.5]": "libzstd-dev",
        "c-blosc/[>=1.21]": "libblosc-dev",
        "lz4/[>=1.9]": "liblz4-dev",
        "xz_utils/[>=5.4]": "liblzma-dev",
        "bzip2/[>=1.0.8]": "libbz2-dev",
        "giflib/[>=5.2]": "libgif-dev",
        "openjpeg/[>=2.5]": "libopenjp2-7-dev",
        "hdf5/[>=1.10]": "libhdf5-dev",
        "liburing/[>=2.2]": "liburing-dev",
    },
}


def root_of(recipe):
    """The clone that the recipe stands in."""
    return pathlib.Path(recipe.recipe_folder).parents[1]


class Tenstride(ConanFile):
    name = "tenstride"
    description = "The strided tensor with PyTorch's exact semantics: every copy visible, at the speed of memcpy"
    license = "Apache-2.0"
    topics = ("tensor", "strides", "numpy", "pytorch", "einops")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "parts": ["ANY"],  # of src/layers.json
        "system": [True, False],
    }
    default_options = {"shared": False, "parts": "all", "system": False}

    def set_version(self):
        self.version = re.search(r"VERSION (\d+\.\d+\.\d+)", root_of(self).joinpath("CMakeLists.txt").read_text())[1]

    def export(self):
        copy(self, "layers.json", root_of(self) / "src", self.export_folder)

    def export_sources(self):
        for name in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, name, root_of(self), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def parts(self):
        """The part that is asked for behind those that it needs, by the table that CMake reads, too."""
        layers = json.loads((pathlib.Path(self.recipe_folder) / "layers.json").read_text(encoding="utf-8"))
        wanted, found = {str(self.options.parts)}, []
        for part in reversed(layers["parts"]):
            if part["name"] in wanted or "all" in wanted:
                wanted.update(part["needs"])
                found.insert(0, part["name"])
        if not wanted <= {"all", *found}:
            raise ConanInvalidConfiguration(f"parts must be a part of the library or all, not {self.options.parts}")
        return found

    def packages(self):
        return {conan: debian for part in self.parts() for conan, debian in PACKAGES.get(part, {}).items()}

    def requirements(self):
        if not self.options.system:
            for package in self.packages():
                self.requires(package)

    def system_requirements(self):
        if self.options.system:
            Apt(self).install([*self.packages().values(), "pkg-config"], check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TENSTRIDE_PARTS"] = ";".join(self.parts())
        for name in ("TOOLS", "TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"TENSTRIDE_BUILD_{name}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # The package's own CMake files say what each part links.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(str(pathlib.Path("lib") / "cmake" / "tenstride"))
        self.cpp_info.libs = [f"tenstride-{part}" for part in reversed(self.parts())]
