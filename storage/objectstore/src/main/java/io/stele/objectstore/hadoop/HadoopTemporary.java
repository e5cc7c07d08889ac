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

/** A file that is being written under a unique temporary name. Confined to one thread at a time. */
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
     * @param path of a file that was never there
     */
    static HadoopTemporary create(FileSystem files, Path path) throws IOException {
        return new HadoopTemporary(
                files,
                path,
                files.create(
                        path,
                        FsPermission.getFileDefault(),
                        // Every block on disk when it is full, not only the one of the last sync
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

    /** Makes all of it durable, and ends the writing. */
    void finish() throws IOException {
        stream.hsync();
        stream.close();
    }

    /**
     * Removes the name, if the file has not been given another.
     *
     * @throws IOException if that is not certain; the file is collected later as abandoned
     */
    void discard() throws IOException {
        try {
            stream.close();
        } catch (IOException e) {
            // It was not finished, and will not be read
        }
        files.delete(path, false);
    }
}
