package io.stele.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import org.junit.jupiter.api.Test;

class TestLogSpace {
    private static final long MIB = 1 << 20;

    @Test
    void isNeverShortWithoutALimit() {
        assertThat(LogSpace.UNLIMITED.shortage()).isZero();
        assertThat(new LogSpace(Long.MAX_VALUE, Long.MAX_VALUE, false).isShort()).isFalse();
    }

    @Test
    void slowsFrom256MibOnAndStopsAt128Mib() {
        assertThat(new LogSpace(10_000 * MIB, 257 * MIB, false).shortage()).isZero();
        assertThat(new LogSpace(10_000 * MIB, 192 * MIB, false).shortage())
                .isEqualTo(0.5, within(0.001));
        assertThat(new LogSpace(10_000 * MIB, 129 * MIB, false).isShort()).isFalse();
        assertThat(new LogSpace(10_000 * MIB, 128 * MIB, false).isShort()).isTrue();
    }

    @Test
    void ofASmallDiskAQuarterIsReserved() {
        assertThat(new LogSpace(30 * MIB, 70 * MIB, false).shortage()).isZero();
        assertThat(new LogSpace(74 * MIB, 26 * MIB, false).isShort()).isFalse();
        assertThat(new LogSpace(75 * MIB, 25 * MIB, false).isShort()).isTrue();
        assertThat(new LogSpace(0, 0, false).isShort()).isTrue();
        LogSpace waits = new LogSpace(60 * MIB, 60 * MIB, true);
        assertThat(waits.isShort()).as("a record waits that is larger").isTrue();
        assertThat(waits.shortage()).as("smaller ones go on").isZero();
    }

    @Test
    void whatOthersTakeOfTheDiskDoesNotCount() {
        assertThat(new LogSpace(0, 40 * MIB, false).shortage()).isZero();
    }

    @Test
    void refusesWhatWouldTakeTheReserve() {
        LogSpace space = new LogSpace(50 * MIB, 50 * MIB, false);
        space.checkRoom(25 * MIB);
        assertThatThrownBy(() -> space.checkRoom(25 * MIB + 1))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
                            assertThat(refused.retryAfterMillis()).isPresent();
                        })
                .hasMessageContaining(
                        "Expected room for 26214401 bytes in the write-ahead log, found 26214400 bytes");
        new LogSpace(0, 0, false).checkRoom(0);
        LogSpace.UNLIMITED.checkRoom(Long.MAX_VALUE);
    }

    @Test
    void refusesNegativeBytes() {
        assertThatThrownBy(() -> new LogSpace(1, -1, false))
                .hasMessage("Expected 0 bytes or more, found 1 used and -1 usable");
    }
}
