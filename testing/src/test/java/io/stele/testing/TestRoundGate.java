package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TestRoundGate {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

    private final RoundGate gate = new RoundGate();

    @Test
    void aRequestThatIsInterruptedWhileItIsHeldIsOver() {
        gate.hold(LONG_NANOS);
        Thread.currentThread().interrupt();
        assertThatThrownBy(gate::enter).isInstanceOf(InterruptedIOException.class);
        Thread.interrupted(); // as it was before
        assertThatCode(() -> gate.awaitIdle(1, TimeUnit.SECONDS.toNanos(10)))
                .doesNotThrowAnyException();
    }

    @Test
    void idlenessIsNotAwaitedForEver() throws IOException {
        gate.enter();
        assertThatThrownBy(() -> gate.awaitIdle(LONG_NANOS, TimeUnit.MILLISECONDS.toNanos(5)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 in flight");
        gate.leave();
        gate.awaitIdle(1, LONG_NANOS);
    }
}
