package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class TestWritePacer {
    private long nowMillis = 7;
    private long sleptMillis;

    @Test
    void keepsItsRateWhateverThePieces() {
        for (int piece : new int[] {1, 999, 40_000, 3_000_000}) {
            nowMillis = 7;
            WritePacer pacer = new WritePacer(1_000_000, () -> nowMillis, this::sleep);
            long written = 0;
            while (written < 10_000_000) {
                pacer.acquire(piece);
                written += piece;
            }
            double seconds = (nowMillis - 7) / 1000.0;
            assertThat(seconds)
                    .as("seconds for pieces of %s", piece)
                    .isBetween(0.97 * (written / 1e6 - 0.25), 1.01 * written / 1e6);
        }
    }

    @Test
    void savesAQuarterOfASecondAtMost() {
        WritePacer pacer = new WritePacer(1_000_000, () -> nowMillis, this::sleep);
        nowMillis += 60_000;
        pacer.acquire(250_000);
        assertThat(sleptMillis).isZero();
        pacer.acquire(100_000);
        assertThat(sleptMillis).isEqualTo(100);
    }

    @Test
    void onlyNewObjectsOfItsStoreArePaced() throws IOException {
        InMemoryObjectStore plain = new InMemoryObjectStore();
        ObjectStore paced =
                new PacedObjectStore(plain, new WritePacer(1_000, () -> nowMillis, this::sleep));
        paced.put("a", new byte[5_000]);
        assertThat(paced.readFully("a")).hasSize(5_000);
        assertThat(sleptMillis).isZero();
        try (ObjectWriter writer = paced.create("b")) {
            writer.write(new byte[1_250]);
            writer.commit();
        }
        assertThat(sleptMillis).isEqualTo(1_000);
        assertThat(plain.size("b")).isEqualTo(1_250);
    }

    private void sleep(long millis) {
        sleptMillis += millis;
        nowMillis += millis;
    }
}
