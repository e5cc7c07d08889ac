package io.stele.engine.shard.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestWriteGate {
    private static final int MIB = 1 << 20;
    private static final long MAX_WAIT_MILLIS = 60_000;

    private final List<Integer> written = new ArrayList<>();
    private final List<Integer> postponed = new ArrayList<>();
    private final List<Integer> late = new ArrayList<>();
    private long nowMillis = 1_000;
    private int room = Integer.MAX_VALUE; // writes that the log takes
    private long roomBytes = Long.MAX_VALUE; // of the log
    private final WriteGate gate =
            new WriteGate(
                    "0-0",
                    Runnable::run,
                    () -> nowMillis,
                    MAX_WAIT_MILLIS,
                    bytes -> bytes <= roomBytes);

    @Test
    void openLetsEverythingThrough() {
        for (int i = 0; i < 100; i++) {
            write(i, MIB);
        }
        assertThat(written).hasSize(100);
        assertThat(gate.status()).isEqualTo(GateStatus.OPEN);
    }

    @Test
    void stoppedHoldsInOrderAndRefusesBeyondItsLimit() {
        gate.setPressure(new Pressure(1), "flushes are behind");
        for (int i = 0; i < 64; i++) {
            write(i, MIB);
        }
        assertThat(written).isEmpty();
        assertThatThrownBy(() -> write(64, 1))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
                            assertThat(refused.retryAfterMillis()).hasValue(500);
                        });
        assertThat(postponed).containsExactly(64);
        nowMillis += 3_000;
        gate.setPressure(Pressure.NONE, "flushes are behind");
        assertThat(written).hasSize(64).isSorted();
        assertThat(gate.waitingBytes()).isZero();
        assertThat(gate.status()).isEqualTo(new GateStatus(0, 0, 0, 1, 3_000, 64));
    }

    @Test
    void slowedLetsItsRateThrough() {
        Pressure pressure = new Pressure(0.5);
        gate.setPressure(pressure, "flushes are behind");
        int batch = 64 << 10;
        int sent = 0;
        for (int poke = 0; poke < 500; poke++) {
            while (gate.waitingBytes() < MIB) {
                write(sent++, batch);
            }
            nowMillis += 20;
            gate.poke();
        }
        double seconds = 500 * 0.02;
        assertThat(written).isSorted();
        assertThat((double) batch * written.size() / seconds)
                .isBetween(0.95 * pressure.bytesPerSecond(), 1.05 * pressure.bytesPerSecond());
        assertThat(gate.status().slowMillis()).isEqualTo(10_000);
        assertThat(gate.status().slowdowns()).isEqualTo(1);
    }

    @Test
    void whatWaitedTooLongIsRefusedInOrder() {
        gate.setPressure(new Pressure(1), "flushes are behind");
        write(0, MIB);
        nowMillis += 10_000;
        write(1, MIB);
        nowMillis += MAX_WAIT_MILLIS - 10_001;
        gate.poke();
        assertThat(late).isEmpty();
        nowMillis += 1;
        gate.poke();
        assertThat(late).containsExactly(0);
        assertThat(gate.waitingBytes()).isEqualTo(MIB);
        nowMillis += 9_999;
        gate.setPressure(Pressure.NONE, "flushes are behind");
        assertThat(written).containsExactly(1);
        gate.setPressure(new Pressure(1), "flushes are behind");
        write(2, MIB);
        write(3, MIB);
        nowMillis += MAX_WAIT_MILLIS;
        gate.setPressure(Pressure.NONE, "flushes are behind");
        assertThat(late).as("also when the gate opens at that moment").containsExactly(0, 2, 3);
        assertThat(written).containsExactly(1);
        assertThat(gate.waitingBytes()).isZero();
    }

    @Test
    void aWriteThatFindsNoRoomStaysAtTheHeadAndHoldsUpNobodyElse() {
        gate.setPressure(new Pressure(1), "flushes are behind");
        for (int i = 0; i < 5; i++) {
            write(i, MIB);
        }
        room = 2;
        gate.setPressure(
                Pressure.NONE, "flushes are behind"); // returns, as the thread is another's
        assertThat(written).containsExactly(0, 1);
        assertThat(gate.waitingBytes()).isEqualTo(3 * MIB);
        write(5, MIB);
        assertThat(written).as("none passes those that wait").containsExactly(0, 1);
        gate.poke();
        assertThat(written).containsExactly(0, 1);
        room = 4;
        gate.poke();
        assertThat(written).containsExactly(0, 1, 2, 3);
        nowMillis += MAX_WAIT_MILLIS;
        gate.poke();
        assertThat(late).as("for those, too, there is an end").containsExactly(4, 5);
        assertThat(gate.waitingBytes()).isZero();
    }

    @Test
    void whatFindsNoRoomCostsNothingOfTheRate() {
        gate.setPressure(new Pressure(0.999), "flushes are behind"); // a MiB a second
        write(0, MIB);
        room = 0;
        for (int i = 0; i < 100; i++) {
            nowMillis += 20;
            gate.poke();
        }
        room = 1;
        nowMillis += 20;
        gate.poke();
        assertThat(written).containsExactly(0);
    }

    @Test
    void aWriteLargerThanTheRateComesThrough() {
        gate.setPressure(new Pressure(0.999), "flushes are behind"); // a MiB a second
        write(0, 30 * MIB);
        write(1, 1);
        nowMillis += 20;
        gate.poke();
        assertThat(written).containsExactly(0);
        nowMillis += 29_000;
        gate.poke();
        assertThat(written).as("what was overdrawn is paid back").containsExactly(0);
        nowMillis += 2_000;
        gate.poke();
        assertThat(written).containsExactly(0, 1);
    }

    @Test
    void namesWhatWritesWaitFor() {
        gate.setPressure(Pressure.NONE, "flushes are behind");
        roomBytes = 0;
        for (int i = 0; i < 64; i++) {
            write(i, MIB);
        }
        assertThatThrownBy(() -> write(64, 1))
                .hasMessageContaining("the write-ahead log has no room");
        gate.setPressure(Pressure.STOP, "flushes are behind");
        assertThatThrownBy(() -> write(65, 1)).hasMessageContaining("flushes are behind");
    }

    @Test
    void holdsWhatTheLogHasNoRoomForAndWhatComesBehindIt() {
        roomBytes = 100;
        write(1, 101);
        write(2, 10);
        gate.poke();
        assertThat(written).isEmpty();
        roomBytes = 101;
        gate.poke();
        assertThat(written).containsExactly(1, 2);
    }

    @Test
    void theRateFallsWithThePressure() {
        double before = Double.MAX_VALUE;
        for (double level = 0.05; level < 1; level += 0.05) {
            double rate = new Pressure(level).bytesPerSecond();
            assertThat(rate).isLessThan(before).isPositive();
            before = rate;
        }
        assertThat(Pressure.of(12, 12, 24).isSlow()).isFalse();
        assertThat(Pressure.of(13, 12, 24).isSlow()).isTrue();
        assertThat(Pressure.of(24, 12, 24).isStop()).isTrue();
        assertThat(Pressure.of(5, 12, 24).max(Pressure.of(18, 12, 24)).level()).isEqualTo(0.5);
    }

    private void write(int number, int sizeBytes) {
        if (gate.pass(sizeBytes, new Write(number))) {
            written.add(number);
        }
    }

    private final class Write implements ThrottledWrite {
        private final int number;

        private Write(int number) {
            this.number = number;
        }

        @Override
        public boolean tryRun() {
            if (written.size() >= room) {
                return false;
            }
            written.add(number);
            return true;
        }

        @Override
        public void postponed() {
            assertThat(written).as("what came later").allMatch(passed -> passed < number);
            postponed.add(number);
        }

        @Override
        public void refuse(SteleException busy) {
            assertThat(busy.code()).isEqualTo(ErrorCode.BUSY);
            assertThat(postponed).contains(number);
            late.add(number);
        }
    }
}
