package io.stele.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.stele.protocol.SteleException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TestStatementIdHeader {
    private final Metadata headers = new Metadata();

    @Test
    void isReadAsItWasPut() {
        assertThat(StatementIdHeader.get(headers)).isEmpty();
        UUID id = new UUID(1, 2);
        StatementIdHeader.put(id, headers);
        assertThat(StatementIdHeader.get(headers)).contains(id);
    }

    @Test
    void anotherValueIsRefused() {
        headers.put(
                Metadata.Key.of("stele-statement-id", Metadata.ASCII_STRING_MARSHALLER), "first");
        assertThatThrownBy(() -> StatementIdHeader.get(headers))
                .isInstanceOf(SteleException.class)
                .hasMessage("Expected a UUID in header stele-statement-id, found 'first'");
    }
}
