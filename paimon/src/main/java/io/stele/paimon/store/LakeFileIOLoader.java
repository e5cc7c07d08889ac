package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.fs.Path;

/**
 * A loader that returns the lake's one file system to Paimon's library, where the library would
 * make one itself.
 */
final class LakeFileIOLoader implements FileIOLoader {
    private static final long serialVersionUID = 1L;

    private final SteleFileIO fileIO;

    LakeFileIOLoader(SteleFileIO fileIO) {
        this.fileIO = requireNonNull(fileIO, "fileIO is null");
    }

    @Override
    public String getScheme() {
        return "stele";
    }

    @Override
    public FileIO load(Path path) {
        return fileIO;
    }
}
