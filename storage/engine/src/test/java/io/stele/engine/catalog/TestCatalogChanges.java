package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Which names a statement gives another meaning. */
final class TestCatalogChanges {
    private final CatalogService service =
            CatalogService.open(
                    new CatalogStore(new InMemoryObjectStore(), new UUID(0, 1)),
                    3_600_000,
                    () -> new Lsn(5_000_000L << 16),
                    millis -> {},
                    Assertions::fail);
    private final CatalogChanges changes = new CatalogChanges(service.current().version());

    TestCatalogChanges() {
        service.addListener(changes);
        service.createSchema("s");
    }

    private static TableSchema table(String name) {
        return TableSchema.builder("s", name)
                .columns(List.of(new ColumnSchema(1, "id", DataType.parse("bigint")).notNull()))
                .primaryKey(List.of(1))
                .build();
    }

    private TableSchema create(String name) {
        return service.createTable(table(name), "", TableState.PUBLIC);
    }

    private List<String> namesOf(Runnable statement) {
        long before = changes.version();
        statement.run();
        assertThat(changes.version()).isEqualTo(service.current().version()).isGreaterThan(before);
        return changes.since(before).orElseThrow().stream().map(TableName::tableName).toList();
    }

    @Test
    void statementsChangeTheNamesTheyAreOf() {
        TableSchema[] made = new TableSchema[1];
        assertThat(namesOf(() -> made[0] = create("a"))).containsExactly("a");
        assertThat(namesOf(() -> create("b"))).containsExactly("b");
        assertThat(namesOf(() -> service.setTableComment(made[0].id(), Optional.of("x"))))
                .containsExactly("a");
        assertThat(namesOf(() -> service.renameTable(made[0].id(), "s", "c")))
                .containsExactlyInAnyOrder("a", "c");
        assertThat(namesOf(() -> service.truncateTable(made[0].id()))).containsExactly("c");
        assertThat(namesOf(() -> service.createSchema("empty"))).isEmpty();
        ViewSchema[] view = new ViewSchema[1];
        assertThat(
                        namesOf(
                                () ->
                                        view[0] =
                                                service.createView(
                                                        new ViewSchema(
                                                                "s",
                                                                "v",
                                                                1,
                                                                "text",
                                                                Optional.empty(),
                                                                Optional.empty()),
                                                        Optional.empty(),
                                                        "",
                                                        false)))
                .containsExactly("v");
        assertThat(namesOf(() -> service.setView("s", "v", false, view[0].revision(), "other")))
                .containsExactly("v");
        assertThat(namesOf(() -> service.dropView("s", "v", false))).containsExactly("v");
        assertThat(namesOf(() -> service.dropSchema("s", true)))
                .containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void publishedTablesAppearAndRecreatedOnesChange() {
        TableSchema staged = service.createTable(table("a"), "", TableState.STAGED);
        assertThat(namesOf(() -> service.publishTable(staged.id(), Lsn.MIN))).containsExactly("a");
        long before = changes.version();
        service.dropTable(staged.id());
        create("a");
        assertThat(changes.since(before).orElseThrow()).containsExactly(new TableName("s", "a"));
    }

    /** Who notes a version and then describes a table has no catalog from before it. */
    @Test
    void noVersionIsAboveTheCurrentOne() {
        long[] seen = new long[2];
        service.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        seen[0] = changes.version();
                        assertThat(changes.since(seen[0])).contains(List.of());
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        seen[1] = changes.version();
                        assertThat(changes.since(seen[0]))
                                .contains(List.of(new TableName("s", "a")));
                    }
                });
        long before = service.current().version();
        create("a");
        assertThat(seen).containsExactly(before, before + 1);
    }

    @Test
    void versionsOfElsewhereAreNotKnown() {
        long now = changes.version();
        assertThat(changes.since(now)).contains(List.of());
        assertThat(changes.since(now + 1)).isEmpty();
        assertThat(changes.since(-1)).isEmpty();
        CatalogChanges late = new CatalogChanges(now);
        late.catalogChanged(
                Catalog.of(now + 1, service.current().toSnapshot()),
                Catalog.of(now + 2, service.current().toSnapshot()));
        assertThat(late.version()).isEqualTo(now + 2);
        assertThat(late.since(now)).isEmpty(); // what came between is not known
        assertThat(late.since(now + 2)).contains(List.of());
    }

    @Test
    void aLogOfFewChangesKnowsThemOrKnowsThatItDoesNot() {
        SplittableRandom random = new SplittableRandom(11);
        ChangeLog<Integer> log = new ChangeLog<>(0, 5);
        List<List<Integer>> model = new ArrayList<>();
        for (int version = 1; version <= 500; version++) {
            List<Integer> keys = random.ints(random.nextInt(3), 0, 9).distinct().boxed().toList();
            model.add(keys);
            log.advance(version, keys);
            for (int known = Math.max(0, version - 12); known <= version; known++) {
                List<Integer> expected =
                        model.subList(known, version).stream()
                                .flatMap(List::stream)
                                .distinct()
                                .toList();
                Optional<List<Integer>> found = log.since(known);
                if (found.isPresent()) {
                    assertThat(found.get()).containsExactlyInAnyOrderElementsOf(expected);
                } else {
                    // Some change after it was forgotten, for there were too many
                    assertThat(
                                    model.subList(0, version).stream()
                                            .flatMap(List::stream)
                                            .distinct()
                                            .count())
                            .isGreaterThan(5);
                }
            }
            assertThat(log.since(version)).contains(List.of());
        }
    }
}
