package io.stele.engine.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class TestDataFileName {
    @Test
    void filesOfEngines() {
        DataFileName name = DataFileName.parse("data/7/0/1f-a.orc").orElseThrow();
        assertThat(name).isEqualTo(new DataFileName("1f-a", 0x1f, false, OptionalLong.empty()));
        assertThat(name.objectEpoch()).isEqualTo(0x1f);
        assertThat(DataFileName.parse("data/7/0/1f-a.idx").orElseThrow()).isEqualTo(name);
    }

    @Test
    void filesOfWorkers() {
        assertThat(DataFileName.parse("data/7/0/2-1_6b3f-9.orc").orElseThrow())
                .isEqualTo(new DataFileName("2-1", 2, true, OptionalLong.empty()));
        assertThat(DataFileName.parse("2-1-7_6b3f-9.orc").orElseThrow().writer())
                .as("of a transaction that creates table 7")
                .isEqualTo("2-1-7");
    }

    /** One that is written later than its file would be deleted as a rest of the file's epoch. */
    @Test
    void deletionVectorsHaveAnEpochOfTheirOwn() {
        for (String file : new String[] {"2-1", "2-1_6b3f-9", "2-1-7_6b3f-9"}) {
            DataFileName name = DataFileName.parse("data/7/0/" + file + ".dv-3-1c").orElseThrow();
            assertThat(name.epoch()).isEqualTo(2);
            assertThat(name.deletesEpoch()).hasValue(3);
            assertThat(name.objectEpoch()).isEqualTo(3);
        }
    }

    @Test
    void otherNames() {
        assertThat(DataFileName.parse("data/7/0/other.orc")).isEmpty();
        assertThat(DataFileName.parse("data/x")).isEmpty();
        assertThat(DataFileName.parse("data/7/0/-1.orc")).isEmpty();
    }
}
