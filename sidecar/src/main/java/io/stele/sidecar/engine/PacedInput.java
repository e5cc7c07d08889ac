package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The input of a connection, which counts its bytes for the pace of its client. */
public final class PacedInput extends FilterInputStream {
    private final ArrivalPace pace;

    public PacedInput(InputStream input, ArrivalPace pace) {
        super(requireNonNull(input, "input is null"));
        this.pace = requireNonNull(pace, "pace is null");
    }

    @Override
    public int read() throws IOException {
        int next = in.read();
        if (next >= 0) {
            pace.received(1);
        }
        return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        if (count > 0) {
            pace.received(count);
        }
        return count;
    }
}
