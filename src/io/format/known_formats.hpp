// SPDX-License-Identifier: Apache-2.0
// One line for each kind of file; each is defined in src/io/NAME/NAME_format.cpp.
#pragma once

#include "io/format/format.hpp"

namespace tenstride::io {

extern const FileFormat npy_format;
extern const FileFormat png_format;
extern const FileFormat jpeg_format;
extern const FileFormat jpeg2000_format;
extern const FileFormat gif_format;
extern const FileFormat npz_format;
extern const FileFormat safetensors_format;
extern const FileFormat nifti_format;
extern const FileFormat nifti_packed_format;
extern const FileFormat tiff_format;
extern const FileFormat zarr_format;
extern const FileFormat hdf5_format;
extern const FileFormat netcdf_format;
extern const FileFormat raw_format;

}  // namespace tenstride::io
