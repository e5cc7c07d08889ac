package io.stele.columnfile.orc.write;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * An output stream whose close only flushes, because the ORC library closes its streams but only
 * the column file writer may end the object. Confined to one thread.
 */
public final class FlushOnCloseStream extends FilterOutputStream {
    public FlushOnCloseStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
