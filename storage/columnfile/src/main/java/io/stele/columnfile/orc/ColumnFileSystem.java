package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A read-only Hadoop file system of a single column file, through which the ORC library reads the
 * file with verified checksums. Other operations are refused. Thread-safe.
 */
public final class ColumnFileSystem extends FileSystem {
    private static final URI ROOT = URI.create("stele:///");

    private final ChecksummedFile file;

    public ColumnFileSystem(ChecksummedFile file, Configuration configuration) {
        this.file = requireNonNull(file, "file is null");
        setConf(configuration);
    }

    public static Path path(String objectPath) {
        return new Path("stele", "", "/" + objectPath);
    }

    @Override
    public URI getUri() {
        return ROOT;
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return new FSDataInputStream(new FileInput(file));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return new FileStatus(file.sizeBytes(), false, 1, 1, 0, path);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress) {
        throw refused("create");
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw refused("append");
    }

    @Override
    public boolean rename(Path source, Path target) {
        throw refused("rename");
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        throw refused("delete");
    }

    @Override
    public FileStatus[] listStatus(Path path) {
        throw refused("list");
    }

    @Override
    public void setWorkingDirectory(Path path) {
        throw refused("setWorkingDirectory");
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(ROOT);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) {
        throw refused("mkdirs");
    }

    private static UnsupportedOperationException refused(String what) {
        return new UnsupportedOperationException(
                "Expected the ORC library to read only, found " + what);
    }

    /**
     * A stream with positioned reads; its own position is for the library's few sequential reads.
     */
    private static final class FileInput extends FSInputStream {
        private final ChecksummedFile file;
        private long position;

        FileInput(ChecksummedFile file) {
            this.file = file;
        }

        @Override
        public void seek(long newPosition) {
            position = newPosition;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public boolean seekToNewSource(long targetPosition) {
            return false;
        }

        @Override
        public int read() throws IOException {
            byte[] single = new byte[1];
            return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = read(position, buffer, offset, length);
            position += Math.max(0, count);
            return count;
        }

        @Override
        public int read(long from, byte[] buffer, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, buffer.length);
            int count = (int) Math.min(length, file.sizeBytes() - from);
            if (count <= 0) {
                return length == 0 ? 0 : -1;
            }
            file.read(from, buffer, offset, count);
            return count;
        }

        @Override
        public void readFully(long from, byte[] buffer, int offset, int length) throws IOException {
            file.read(from, buffer, offset, length);
        }

        @Override
        public void readFully(long from, byte[] buffer) throws IOException {
            file.read(from, buffer, 0, buffer.length);
        }

        @Override
        public int available() {
            return (int) Math.clamp(file.sizeBytes() - position, 0, Integer.MAX_VALUE);
        }
    }
}
