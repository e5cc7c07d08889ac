package io.stele.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class TestFlightErrors {
    /** As gRPC fails a call that begins on a connection just when it is lost. */
    @Test
    void aLostConnectionIsUnavailableWhateverItsStatus() {
        Status lost =
                Status.UNKNOWN
                        .withDescription("channel closed")
                        .withCause(new IllegalStateException(new ClosedChannelException()));
        SteleException failure = FlightErrors.toSteleException(lost.asRuntimeException(), "host:1");
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure).hasMessage("Flight call to host:1 failed: channel closed");
    }

    @Test
    void anUnknownStatusIsNotOfTheConnection() {
        SteleException failure =
                FlightErrors.toSteleException(
                        Status.UNKNOWN
                                .withCause(new IllegalStateException("bug"))
                                .asRuntimeException(),
                        "host:1");
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
    }
}
