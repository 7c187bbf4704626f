"""millpond for C and C++, from its release archive: nothing is built."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get


class MillpondConan(ConanFile):
    name = "millpond"
    version = "@VERSION@"
    description = "Object pools for games and other real-time programs"
    license = "MIT OR Apache-2.0"
    topics = ("object-pool", "slot-map", "allocator", "gamedev")
    package_type = "static-library"
    settings = "os", "arch"

    def validate(self):
        if (self.settings.os, self.settings.arch) != ("Linux", "x86_64"):
            raise ConanInvalidConfiguration("millpond: this archive is for Linux on x86_64")

    def build(self):
        get(self, "@RELEASES@/@ARCHIVE@", sha256="@SHA256@", strip_root=True)

    def package(self):
        for pattern, folder in (("*.h*", "include"), ("libmillpond.a", "lib")):
            copy(self, pattern, os.path.join(self.build_folder, folder), os.path.join(self.package_folder, folder))
        copy(self, "LICENSE-*", self.build_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["millpond"]
