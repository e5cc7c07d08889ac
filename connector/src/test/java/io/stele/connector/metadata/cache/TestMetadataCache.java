package io.stele.connector.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.Duration;
import io.stele.connector.config.MetadataCacheConfig;
import io.stele.connector.metadata.catalog.Relation;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is found is never older than the last change heard of, whoever loads when. */
final class TestMetadataCache {
    private static final SchemaTableName NAME = new SchemaTableName("s", "v");
    private static final SchemaTableName OTHER = new SchemaTableName("s", "w");
    private static final long INSTANCE = 77;

    private final AtomicLong nanos = new AtomicLong(1_000);
    private final MetadataCache cache = cache("0s");

    private MetadataCache cache(String maxStaleness) {
        return new MetadataCache(
                new MetadataCacheConfig().setMaxStaleness(Duration.valueOf(maxStaleness)),
                nanos::get);
    }

    private static RelationReply view(String definition) {
        return new RelationReply(
                Optional.empty(),
                Optional.of(
                        new ViewSchema(
                                "s", "v", 1, definition, Optional.empty(), Optional.empty())));
    }

    private static MetadataVersion version(long catalog, long statistics) {
        return new MetadataVersion(INSTANCE, catalog, statistics);
    }

    private static MetadataChanges changed(MetadataVersion version, SchemaTableName... names) {
        return new MetadataChanges(
                version,
                false,
                List.of(names).stream()
                        .map(name -> new TableName(name.getSchemaName(), name.getTableName()))
                        .toList());
    }

    private void hear(MetadataChanges changes) {
        cache.apply(changes, nanos.get());
    }

    private String found(Supplier<RelationReply> loader) {
        return definition(cache.relation(NAME, loader));
    }

    private static String definition(Relation relation) {
        return relation.view().orElseThrow().definition();
    }

    private static RelationReply mustNotLoad() {
        throw new AssertionError("Expected it to be here");
    }

    @Test
    void keepsUntilTheNameChanges() {
        hear(changed(version(1, 0)));
        assertThat(found(() -> view("one"))).isEqualTo("one");
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("one");

        hear(changed(version(2, 0), OTHER));
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("one");

        hear(changed(version(3, 0), NAME));
        assertThat(found(() -> view("two"))).isEqualTo("two");
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("two");

        hear(changed(version(3, 1), NAME));
        assertThat(found(() -> view("three"))).isEqualTo("three");
    }

    @Test
    void whatIsFoundWithoutARequestSavesWhatOneTakes() {
        hear(changed(version(1, 0)));
        found(
                () -> {
                    nanos.addAndGet(4_000_000);
                    return view("one");
                });
        assertThat(cache.metrics().getSavedMillis()).isZero();
        found(TestMetadataCache::mustNotLoad);
        found(TestMetadataCache::mustNotLoad);
        assertThat(cache.metrics().getSavedMillis()).isEqualTo(2 * 4);
        // With the request for a snapshot it is confirmed, which is sent all the same
        cache.opened(cache.look(NAME), nanos.get(), Optional.empty(), Relation.NOTHING, true);
        assertThat(cache.metrics().getHits()).isEqualTo(3);
        assertThat(cache.metrics().getSavedMillis()).isEqualTo(2 * 4);
        assertThat(cache.metrics().getHitBytes()).isPositive();
    }

    @Test
    void keepsThatThereIsNothing() {
        hear(changed(version(1, 0)));
        assertThat(cache.relation(NAME, () -> Relation.NOTHING).isNothing()).isTrue();
        assertThat(cache.relation(NAME, TestMetadataCache::mustNotLoad).isNothing()).isTrue();
        hear(changed(version(2, 0), NAME));
        assertThat(found(() -> view("created"))).isEqualTo("created");
    }

    @Test
    void aLoadThatAChangeOvertakesIsNotFound() {
        hear(changed(version(1, 0)));
        String loaded =
                found(
                        () -> {
                            hear(changed(version(2, 0), NAME)); // while the answer is on its way
                            return view("before the change");
                        });
        assertThat(loaded).isEqualTo("before the change"); // whoever asked had not heard of it
        assertThat(found(() -> view("after"))).isEqualTo("after");
    }

    @Test
    void whoHeardOfAChangeDoesNotWaitForAnOlderLoad() throws Exception {
        hear(changed(version(1, 0)));
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<RelationReply> answer = new CompletableFuture<>();
        CompletableFuture<String> early =
                CompletableFuture.supplyAsync(
                        () ->
                                found(
                                        () -> {
                                            asked.complete(null);
                                            return answer.join();
                                        }));
        asked.get(120, TimeUnit.SECONDS);
        hear(changed(version(2, 0), NAME));

        assertThat(found(() -> view("new"))).isEqualTo("new");
        answer.complete(view("old"));
        assertThat(early.get(120, TimeUnit.SECONDS)).isEqualTo("old");
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("new");
    }

    @Test
    void loadsOnceForAllWhoAsk() throws Exception {
        hear(changed(version(1, 0)));
        AtomicInteger loads = new AtomicInteger();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<RelationReply> answer = new CompletableFuture<>();
        Supplier<RelationReply> loader =
                () -> {
                    loads.incrementAndGet();
                    asked.complete(null);
                    return answer.join();
                };
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> found(loader));
        asked.get(120, TimeUnit.SECONDS);
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> found(loader));
        answer.complete(view("one"));
        assertThat(first.get(120, TimeUnit.SECONDS)).isEqualTo("one");
        assertThat(second.get(120, TimeUnit.SECONDS)).isEqualTo("one");
        assertThat(loads).hasValue(1);
    }

    @Test
    void aFailedLoadIsNotKept() {
        hear(changed(version(1, 0)));
        assertThatThrownBy(
                        () ->
                                found(
                                        () -> {
                                            throw new IllegalStateException("unreachable");
                                        }))
                .hasMessage("unreachable");
        assertThat(found(() -> view("one"))).isEqualTo("one");
    }

    @Test
    void aSnapshotConfirmsWhatIsHere() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        MetadataCache.Look look = cache.look(NAME);
        assertThat(look.version()).isEqualTo(version(1, 0));

        Relation confirmed =
                cache.opened(
                        look,
                        nanos.get(),
                        Optional.of(changed(version(2, 0), OTHER)),
                        Relation.NOTHING,
                        true);
        assertThat(definition(confirmed)).isEqualTo("one");
        assertThat(cache.version()).isEqualTo(version(2, 0));
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("one");
    }

    @Test
    void aConfirmationHoldsForItsQueryOnly() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        MetadataCache.Look look = cache.look(NAME);
        hear(changed(version(3, 0), NAME)); // somebody else heard of more
        Relation confirmed =
                cache.opened(
                        look,
                        nanos.get(),
                        Optional.of(changed(version(2, 0), OTHER)),
                        Relation.NOTHING,
                        true);
        assertThat(definition(confirmed)).isEqualTo("one");
        assertThat(cache.version()).isEqualTo(version(3, 0));
        assertThat(found(() -> view("three"))).isEqualTo("three");
    }

    @Test
    void whatASnapshotDescribesIsKeptUnlessSomebodyHeardOfMore() {
        hear(changed(version(1, 0)));
        MetadataCache.Look look = cache.look(NAME);
        cache.opened(
                look, nanos.get(), Optional.of(changed(version(2, 0), NAME)), view("two"), false);
        assertThat(found(TestMetadataCache::mustNotLoad)).isEqualTo("two");

        MetadataCache.Look late = cache.look(OTHER);
        hear(changed(version(4, 0), OTHER));
        cache.opened(
                late,
                nanos.get(),
                Optional.of(changed(version(3, 0), OTHER)),
                view("three"),
                false);
        assertThat(definition(cache.relation(OTHER, () -> view("four")))).isEqualTo("four");
    }

    @Test
    void anotherInstanceMakesAllUnknown() {
        hear(changed(version(5, 5)));
        found(() -> view("one"));
        cache.tables(Optional.empty(), () -> List.of(NAME));
        hear(new MetadataChanges(new MetadataVersion(INSTANCE + 1, 5, 5), false, List.of()));
        assertThat(found(() -> view("of the other"))).isEqualTo("of the other");
        assertThat(cache.tables(Optional.empty(), () -> List.of(OTHER))).containsExactly(OTHER);
        assertThat(cache.metrics().getResets()).isEqualTo(2); // the first one it heard of as well
    }

    @Test
    void changesThatAreNotKnownMakeAllUnknown() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        hear(new MetadataChanges(version(9, 0), true, List.of()));
        assertThat(found(() -> view("nine"))).isEqualTo("nine");
    }

    @Test
    void listsChangeWithTheCatalogAndNotWithStatistics() {
        hear(changed(version(1, 0)));
        assertThat(cache.tables(Optional.of("s"), () -> List.of(NAME))).containsExactly(NAME);
        hear(changed(version(1, 1), NAME));
        assertThat(cache.tables(Optional.of("s"), List::of)).containsExactly(NAME);
        hear(changed(version(2, 1), OTHER));
        assertThat(cache.tables(Optional.of("s"), () -> List.of(NAME, OTHER)))
                .containsExactly(NAME, OTHER);
    }

    @Test
    void tellsWhichNamesQueriesUsed() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        cache.relation(OTHER, () -> view("one"));
        cache.relation(OTHER, () -> view("one")); // a second time
        assertThat(cache.apply(changed(version(2, 0), NAME, OTHER), 1)).containsExactly(OTHER);
    }

    @Test
    void moreNamesThanAreRememberedMakeAllUnknown() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        for (int i = 0; i <= 10_000; i++) {
            hear(changed(version(2 + i, 0), new SchemaTableName("s", "t" + i)));
        }
        assertThat(found(() -> view("two"))).isEqualTo("two");
    }

    @Test
    void flushingForgets() {
        hear(changed(version(1, 0)));
        found(() -> view("one"));
        cache.relation(OTHER, () -> view("one"));
        cache.flush(NAME);
        assertThat(found(() -> view("two"))).isEqualTo("two");
        assertThat(definition(cache.relation(OTHER, TestMetadataCache::mustNotLoad)))
                .isEqualTo("one");
        String overtaken =
                definition(
                        cache.relation(
                                new SchemaTableName("s", "x"),
                                () -> {
                                    cache.flush();
                                    return view("old");
                                }));
        assertThat(overtaken).isEqualTo("old");
        assertThat(definition(cache.relation(new SchemaTableName("s", "x"), () -> view("new"))))
                .isEqualTo("new");
        assertThat(definition(cache.relation(OTHER, () -> view("two")))).isEqualTo("two");
    }

    @Test
    void stalenessIsBounded() {
        assertThat(cache.isFreshEnough()).isFalse(); // strict
        MetadataCache lenient = cache("5s");
        assertThat(lenient.isFreshEnough()).isFalse(); // it has heard of nothing
        lenient.apply(changed(version(1, 0)), nanos.get());
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
        assertThat(lenient.isFreshEnough()).isTrue();
        nanos.addAndGet(1);
        assertThat(lenient.isFreshEnough()).isFalse();
        lenient.apply(changed(version(1, 0)), nanos.get()); // that nothing changed
        assertThat(lenient.isFreshEnough()).isTrue();
    }
}
