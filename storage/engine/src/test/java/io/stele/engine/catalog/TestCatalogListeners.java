package io.stele.engine.catalog;

import static io.stele.engine.catalog.CatalogFixture.refuses;
import static io.stele.engine.catalog.CatalogFixture.refusesUnknown;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** The calls of a catalog's listeners: before and after each durable version. */
final class TestCatalogListeners {
    private final CatalogFixture catalogs = new CatalogFixture();
    private final ObjectStore store = catalogs.store();
    private final CatalogService service = catalogs.open(1);

    @Test
    void listenersSeeEveryVersionInOrderAndOnlyDurableOnes() {
        List<Long> versions = new ArrayList<>();
        service.addListener(
                (before, after) -> {
                    assertThat(after.version()).isEqualTo(before.version() + 1);
                    assertThat(catalogs.open(3).current().version()).isEqualTo(after.version());
                    versions.add(after.version());
                });
        service.createSchema("a");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'a'", () -> service.createSchema("a"));
        service.createSchema("b");
        assertThat(versions).containsExactly(1L, 2L);
    }

    @Test
    void listenersAreNotifiedBeforeADurableVersionIsCurrentAndAfterwards() {
        FaultInjectingObjectStore faulty =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.NONE, new SplittableRandom(1), nanos -> {});
        CatalogService watched = catalogs.open(faulty, 1, Assertions::fail);
        List<String> steps = new ArrayList<>();
        CatalogListener listener =
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        assertThat(watched.current()).isSameAs(before);
                        assertThat(CatalogFixture.open(faulty).current().version())
                                .isEqualTo(after.version());
                        steps.add("changing " + after.version());
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        assertThat(watched.current()).isSameAs(after);
                        steps.add("changed " + after.version());
                    }
                };
        watched.addListener(listener);
        watched.addListener(listener);
        watched.createSchema("a");
        assertThat(steps).containsExactly("changing 1", "changing 1", "changed 1", "changed 1");

        steps.clear();
        faulty.setFaults(StoreFaults.OUTAGE);
        refusesUnknown(() -> watched.createSchema("b"));
        assertThat(steps).as("of unknown outcome").isEmpty();
        faulty.setFaults(StoreFaults.NONE);
        assertThat(watched.settle()).isTrue();
        assertThat(steps).containsExactly("changing 2", "changing 2", "changed 2", "changed 2");

        steps.clear();
        CatalogFixture.open(faulty).createSchema("theirs");
        watched.createSchema("c");
        assertThat(steps)
                .containsExactly(
                        "changing 3",
                        "changing 3",
                        "changed 3",
                        "changed 3",
                        "changing 4",
                        "changing 4",
                        "changed 4",
                        "changed 4");
    }

    @Test
    void aListenerThatFailsKeepsNothingFromTheOthers() {
        List<String> steps = new ArrayList<>();
        SteleException changing = new SteleException(ErrorCode.BUSY, "changing");
        SteleException changed = new SteleException(ErrorCode.BUSY, "changed");
        List<Throwable> failures = new ArrayList<>();
        CatalogService service = catalogs.open(store, 1, failures::add);
        service.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        throw changing;
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        throw changed;
                    }
                });
        service.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        steps.add("changing " + after.version());
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        steps.add("changed " + after.version());
                    }
                });
        service.createSchema("a");
        assertThat(failures).containsExactly(changing, changed);
        assertThat(steps).containsExactly("changing 1", "changed 1");
        assertThat(service.current().schemas()).containsExactly("a");
        assertThat(catalogs.open(2).current().schemas()).containsExactly("a");
    }
}
