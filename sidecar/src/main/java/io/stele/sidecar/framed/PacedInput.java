package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.engine.ArrivalPace;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The input of a framed connection, which counts its bytes for the pace of its client. */
final class PacedInput extends FilterInputStream {
    private final ArrivalPace pace;

    PacedInput(InputStream input, ArrivalPace pace) {
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
