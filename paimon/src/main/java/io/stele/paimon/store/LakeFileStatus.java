package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectEntry;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;

/** A file or a folder of a lake, as Paimon sees it. */
record LakeFileStatus(Path path, long sizeBytes, long modifiedMillis, boolean isFolder)
        implements FileStatus {
    LakeFileStatus {
        requireNonNull(path, "path is null");
    }

    static LakeFileStatus file(Path path, ObjectEntry entry) {
        return new LakeFileStatus(path, entry.sizeBytes(), entry.modified().toEpochMilli(), false);
    }

    static LakeFileStatus folder(Path path) {
        return new LakeFileStatus(path, 0, 0, true);
    }

    @Override
    public long getLen() {
        return sizeBytes;
    }

    @Override
    public boolean isDir() {
        return isFolder;
    }

    @Override
    public Path getPath() {
        return path;
    }

    @Override
    public long getModificationTime() {
        return modifiedMillis;
    }
}
