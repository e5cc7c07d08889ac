package io.stele.columnfile.orc;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * An object's stream without its end: that is ours to decide, and the ORC library closes what it
 * writes to. Confined to one thread.
 */
public final class Unclosed extends FilterOutputStream {
    public Unclosed(OutputStream out) {
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
