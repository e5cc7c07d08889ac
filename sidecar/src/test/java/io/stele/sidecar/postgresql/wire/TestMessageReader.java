package io.stele.sidecar.postgresql.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.engine.ArrivalPace;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** What large messages hold, and for how long. */
final class TestMessageReader {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_KIB = MAX_BYTES >> 10;

    private final Semaphore pending = new Semaphore(MAX_KIB);
    private final ArrivalPace pace = new ArrivalPace();

    private MessageReader reader(InputStream in) {
        return new MessageReader(new BufferedInputStream(in), pending, pace);
    }

    /** The type, the length, and as many bytes as there are of the payload. */
    private static byte[] message(int announcedBytes, int bytes) {
        return ByteBuffer.allocate(5 + bytes).put((byte) 'Q').putInt(4 + announcedBytes).array();
    }

    @Test
    void theLargestMessageMayTakeTheWholeBudget() throws IOException {
        try (MessageReader reader =
                reader(new ByteArrayInputStream(message(MAX_BYTES, MAX_BYTES)))) {
            Message message = reader.read(MAX_BYTES);
            assertThat(message.remaining()).isEqualTo(MAX_BYTES);
            assertThat(pending.availablePermits()).isZero();
            assertThat(reader.read(MAX_BYTES)).isNull();
            assertThat(pending.availablePermits()).isEqualTo(MAX_KIB);
        }
    }

    @Test
    void whatAMessageThatEndsEarlyHoldsIsGivenBack() throws IOException {
        try (MessageReader reader = reader(new ByteArrayInputStream(message(MAX_BYTES, 100_000)))) {
            assertThatThrownBy(() -> reader.read(MAX_BYTES)).isInstanceOf(EOFException.class);
        }
        assertThat(pending.availablePermits()).isEqualTo(MAX_KIB);
    }

    @Test
    void onlyAMessageThatHoldsMemoryCanBeTooSlow() throws IOException {
        List<Boolean> whileReading = new ArrayList<>();
        for (int bytes : new int[] {64 << 10, 65 << 10}) {
            InputStream in =
                    new FilterInputStream(new ByteArrayInputStream(message(bytes, bytes))) {
                        @Override
                        public int read(byte[] to, int offset, int length) throws IOException {
                            whileReading.add(isTooSlowAfterMinutes());
                            return super.read(to, offset, length);
                        }
                    };
            try (MessageReader reader = reader(in)) {
                assertThat(reader.read(MAX_BYTES)).isNotNull();
                assertThat(isTooSlowAfterMinutes()).as("of %s bytes, complete", bytes).isFalse();
            }
            assertThat(whileReading.contains(true))
                    .as("of %s bytes", bytes)
                    .isEqualTo(bytes > 64 << 10);
        }
    }

    private boolean isTooSlowAfterMinutes() {
        boolean unused = pace.isTooSlow(0);
        return pace.isTooSlow(Duration.ofMinutes(2).toNanos());
    }
}
