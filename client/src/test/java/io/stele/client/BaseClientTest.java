package io.stele.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A sidecar with the table s.t of {@link TestingTables#keyed}, and clients of it. */
abstract class BaseClientTest {
    protected TestingSidecar sidecar;

    @BeforeEach
    final void startSidecar() throws IOException {
        sidecar = new TestingSidecar(TestingTables.keyed(1, 1));
    }

    @AfterEach
    final void closeSidecar() throws IOException {
        sidecar.close();
    }

    protected final SteleClient client(ClientSettings settings) {
        return builder(sidecar.port(), settings).build();
    }

    protected static SteleClient.Builder builder(int port, ClientSettings settings) {
        return SteleClient.builder()
                .endpoint("127.0.0.1", port)
                .secret(TestingSidecar.SECRET)
                .settings(settings);
    }

    /** What the sidecar has, by key. */
    protected final TreeMap<Long, String> contents() {
        return TestingTables.contents(sidecar.rows().values());
    }

    protected static void assertCode(ErrorCode code, String message, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }
}
