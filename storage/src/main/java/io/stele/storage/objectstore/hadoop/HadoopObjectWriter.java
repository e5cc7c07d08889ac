package io.stele.storage.objectstore.hadoop;

import io.stele.storage.objectstore.ObjectWriter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;

/** Writes a temporary file and renames it in the end. Confined to one thread at a time. */
final class HadoopObjectWriter extends ObjectWriter {
    private final HadoopTemporary file;
    private final HadoopPublication publication;
    private final Path target;
    private final String where;
    private long position;
    private boolean open = true;

    HadoopObjectWriter(
            HadoopTemporary file, HadoopPublication publication, Path target, String where) {
        this.file = file;
        this.publication = publication;
        this.target = target;
        this.where = where;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        checkOpen();
        try {
            file.write(bytes, offset, length);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("write", where, e);
        }
        position += length;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void commit() throws IOException {
        checkOpen();
        boolean published = false;
        try {
            file.finish();
            published = publication.publish(file, target);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("create", where, e);
        } finally {
            if (published) {
                open = false;
            } else {
                close();
            }
        }
        if (!published) {
            throw new FileAlreadyExistsException(where);
        }
    }

    private void checkOpen() throws IOException {
        if (!open) {
            throw new IOException(
                    "Expected an open writer, found it committed or closed: " + where);
        }
    }

    @Override
    public void close() throws IOException {
        if (open) {
            open = false;
            file.discard();
        }
    }
}
