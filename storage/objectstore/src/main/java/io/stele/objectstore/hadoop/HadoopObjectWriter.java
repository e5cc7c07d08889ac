package io.stele.objectstore.hadoop;

import io.stele.objectstore.TrackedObjectWriter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;

/**
 * An object writer for Hadoop file systems that writes a temporary file and renames it to its final
 * name on commit. Confined to one thread at a time.
 */
final class HadoopObjectWriter extends TrackedObjectWriter {
    private final HadoopTemporary file;
    private final HadoopPublication publication;
    private final Path target;

    HadoopObjectWriter(
            HadoopTemporary file, HadoopPublication publication, Path target, String where) {
        super(where);
        this.file = file;
        this.publication = publication;
        this.target = target;
    }

    @Override
    protected void append(byte[] bytes, int offset, int length) throws IOException {
        try {
            file.write(bytes, offset, length);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("write", where(), e);
        }
    }

    @Override
    public void commit() throws IOException {
        checkOpen();
        boolean published = false;
        try {
            file.finish();
            published = publication.publish(file, target);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("create", where(), e);
        } finally {
            if (published) {
                end();
            } else {
                close();
            }
        }
        if (!published) {
            throw new FileAlreadyExistsException(where());
        }
    }

    @Override
    public void close() throws IOException {
        if (end()) {
            file.discard();
        }
    }
}
