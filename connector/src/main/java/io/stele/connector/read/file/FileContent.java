package io.stele.connector.read.file;

import io.stele.columnfile.metadata.ChecksummedFile;
import java.io.IOException;

/**
 * The whole content of a small column file, read at once, as an entry of {@link FileMetadataCache}.
 *
 * @param bytes not to be changed
 */
record FileContent(byte[] bytes) implements CachedFilePart {
    static FileContent read(ChecksummedFile file) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(file.sizeBytes())];
        file.read(0, bytes, 0, bytes.length);
        return new FileContent(bytes);
    }

    @Override
    public long retainedBytes() {
        return bytes.length + 128L;
    }
}
