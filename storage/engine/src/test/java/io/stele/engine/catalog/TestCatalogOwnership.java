package io.stele.engine.catalog;

import static io.stele.engine.catalog.CatalogFixture.refuses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Catalogs with more than one process: races, and owners that were taken over. */
final class TestCatalogOwnership {
    private final CatalogFixture catalogs = new CatalogFixture();
    private final CatalogService service = catalogs.open(1);

    @Test
    void loserOfARaceReadsAgainAndDoesTheStatementOnWhatIsThere() {
        CatalogService other = catalogs.open(2);
        List<String> seen = new ArrayList<>();
        service.addListener((before, after) -> seen.addAll(after.schemas()));
        other.createSchema("theirs");
        service.createSchema("mine");
        assertThat(seen).containsExactly("theirs", "mine", "theirs");
        assertThat(service.current().schemas()).containsExactly("mine", "theirs");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'mine'", () -> other.createSchema("mine"));
        assertThat(other.current().schemas()).containsExactly("mine", "theirs");
    }

    @Test
    void whoWasTakenOverChangesNothingAnyMore() {
        service.own(10, List.of());
        service.createSchema("of_the_first");
        CatalogService second = catalogs.open(2);
        service.createSchema("meanwhile");
        second.own(11, List.of());
        assertThat(second.current().schemas()).containsExactly("meanwhile", "of_the_first");
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> service.createSchema("too_late"))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("owned in epoch 11");
        }
        for (int versions = 0; versions < 30; versions++) {
            second.createSchema("s" + versions);
        }
        CatalogService third = catalogs.open(3);
        assertThat(third.current().schemas()).hasSize(32).doesNotContain("too_late");
        refuses(ErrorCode.UNAVAILABLE, "epoch 11", () -> third.own(11, List.of()));
    }

    @Test
    void aVersionThatWasDeletedIsNotCreatedAgain() {
        service.own(10, List.of());
        CatalogService second = catalogs.open(2);
        second.own(11, List.of());
        for (int versions = 0; versions < 30; versions++) {
            second.createSchema("s" + versions);
        }
        // The next version of the first is long deleted, so that its name is free
        assertThatThrownBy(() -> service.createSchema("too_late"))
                .hasMessageContaining("owned in epoch 11");
    }
}
