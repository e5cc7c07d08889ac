package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows come once: a read is begun again only before the first one. */
@Timeout(30)
final class TestRepeatedRead {
    private static final RowData ROW = GenericRowData.of(1L);

    private final List<RowData> rows = new ArrayList<>();
    private int attempts;

    /** A read whose first attempts fail after a number of rows. */
    private void read(ErrorCode code, int failures, int rowsBefore, Duration timeout) {
        new RepeatedRead(
                        (isFirst, consumer) -> {
                            assertThat(isFirst).isEqualTo(attempts == 0);
                            attempts++;
                            if (attempts <= failures) {
                                for (int i = 0; i < rowsBefore; i++) {
                                    consumer.accept(ROW);
                                }
                                throw new SteleException(code, "a fault of the test");
                            }
                            consumer.accept(ROW);
                        },
                        timeout)
                .read(rows::add);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"UNAVAILABLE", "BUSY", "SNAPSHOT_EXPIRED", "STALE_TABLE"})
    void whatPassesIsWaitedFor(ErrorCode code) {
        read(code, 2, 0, Duration.ofMinutes(1));
        assertThat(rows).containsExactly(ROW);
        assertThat(attempts).isEqualTo(3);
    }

    @Test
    void aSidecarMayBeAwayForLonger() {
        read(ErrorCode.UNAVAILABLE, 5, 0, Duration.ofMinutes(1));
        assertThat(rows).containsExactly(ROW);
    }

    @Test
    void noRowComesTwice() {
        assertThatThrownBy(() -> read(ErrorCode.UNAVAILABLE, 1, 1, Duration.ofMinutes(1)))
                .hasMessage("a fault of the test");
        assertThat(rows).containsExactly(ROW);
        assertThat(attempts).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"SNAPSHOT_EXPIRED", "STALE_TABLE", "TABLE_NOT_FOUND", "CORRUPT_DATA"})
    void whatStaysSoFails(ErrorCode code) {
        assertThatThrownBy(() -> read(code, Integer.MAX_VALUE, 0, Duration.ofMinutes(1)))
                .hasMessage("a fault of the test");
        assertThat(attempts).isLessThanOrEqualTo(3);
    }

    @Test
    void aSidecarThatStaysAwayFails() {
        assertThatThrownBy(
                        () ->
                                read(
                                        ErrorCode.UNAVAILABLE,
                                        Integer.MAX_VALUE,
                                        0,
                                        Duration.ofMillis(200)))
                .hasMessage("a fault of the test");
        assertThat(attempts).isGreaterThan(1);
    }

    @Test
    void aTaskThatIsCancelledWaitsNoLonger() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(
                            () ->
                                    read(
                                            ErrorCode.UNAVAILABLE,
                                            Integer.MAX_VALUE,
                                            0,
                                            Duration.ofMinutes(1)))
                    .hasMessage("a fault of the test");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(attempts).isEqualTo(1);
    }
}
