package io.stele.objectstore.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.OptionalLong;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSOutputStream;

/**
 * A writer of a Hadoop file under a unique temporary name, before the file is published. Confined
 * to one thread at a time.
 */
final class HadoopTemporary {
    private static final int BUFFER_BYTES = 64 << 10;

    private final FileSystem files;
    private final Path path;
    private final FSDataOutputStream stream;
    private final OptionalLong id;

    private HadoopTemporary(FileSystem files, Path path, FSDataOutputStream stream) {
        this.files = files;
        this.path = path;
        this.stream = stream;
        this.id = idOf(stream);
    }

    /**
     * @param path of a file that never existed
     */
    static HadoopTemporary create(FileSystem files, Path path) throws IOException {
        return new HadoopTemporary(
                files,
                path,
                files.create(
                        path,
                        FsPermission.getFileDefault(),
                        // Syncs every full block to disk, not only the block of the last sync
                        EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK),
                        BUFFER_BYTES,
                        files.getDefaultReplication(path),
                        files.getDefaultBlockSize(path),
                        null));
    }

    /** The file's id, which a rename does not change, if the file system has ids. */
    private static OptionalLong idOf(FSDataOutputStream stream) {
        OutputStream inner = stream.getWrappedStream();
        if (inner instanceof CryptoOutputStream encrypting) {
            inner = encrypting.getWrappedStream();
        }
        return inner instanceof DFSOutputStream hdfs
                ? OptionalLong.of(hdfs.getFileId())
                : OptionalLong.empty();
    }

    Path path() {
        return path;
    }

    /** The id that identifies this file under its later name; empty if the file system has none. */
    OptionalLong id() {
        return id;
    }

    void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
    }

    /** Makes the whole file durable, and closes it. */
    void finish() throws IOException {
        stream.hsync();
        stream.close();
    }

    /**
     * Deletes the file, if it was not renamed.
     *
     * @throws IOException if the outcome is unknown; the file is later deleted as abandoned
     */
    void discard() throws IOException {
        try {
            stream.close();
        } catch (IOException e) {
            // The file was not finished, and will not be read
        }
        files.delete(path, false);
    }
}
