package io.stele.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What expires, and what may return, while a catalog version was given up. */
final class TestTimeToLiveSteps {
    private static final long HOUR = 3_600_000L;
    private static final TableOptions HOURLY =
            TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(HOUR)).beginTimeToLive();

    /** Compactions have removed rows that had expired by then, and deletions of older rows too. */
    @Test
    void whatHadExpiredBeforeTheDoubtNeverReturns() {
        TableOptions doubted = HOURLY.doubtTimeToLive(at(40), at(20));
        assertThat(doubted.timeToLiveIsInDoubt()).isTrue();
        assertThat(doubted.firstRetainedLsn(at(50).value())).isEqualTo(at(19).value());
        assertThat(doubted.firstVisibleLsn(at(50).value())).isEqualTo(at(49).value());

        TableOptions raised =
                doubted.withTimeToLiveMillis(OptionalLong.of(48 * HOUR))
                        .changeTimeToLive(doubted, at(60), true);
        assertThat(raised.timeToLiveIsInDoubt()).isFalse();
        assertThat(raised.firstVisibleLsn(at(61).value())).isEqualTo(at(19).value());
    }

    @Test
    void aDoubtThatEndsWithTheSameTimeLeavesNoTrace() {
        TableOptions doubted = HOURLY.doubtTimeToLive(at(40), at(20));
        TableOptions same = doubted.changeTimeToLive(doubted, at(60), true);
        assertThat(same).isEqualTo(HOURLY);
    }

    /** Of a table that is as young as the version that was given up, nothing had expired. */
    @Test
    void rowsOfAYoungTableMayAllReturn() {
        TableOptions doubted = HOURLY.doubtTimeToLive(at(40), Lsn.MIN);
        assertThat(doubted.firstRetainedLsn(at(50).value())).isZero();
    }

    private static Lsn at(long hours) {
        return new Lsn((hours * HOUR) << 16);
    }
}
