package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;

class TestSchedulingGroups {
    private final SchedulingGroups groups = new SchedulingGroups();

    private SchedulingGroup create(String name) {
        return groups.create(name, 100, Urgency.NORMAL, 1_000_000);
    }

    @Test
    void aPoolHasSoManyGroupsAndNoMore() {
        SchedulingGroup first = create("first");
        for (int i = 1; i < 4096; i++) {
            create("g" + i);
        }
        assertThatThrownBy(() -> create("another"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Expected at most 4096 scheduling groups, found one more: another");
        groups.remove(first);
        SchedulingGroup another = create("another");
        assertThat(groups).hasSize(4096).doesNotContain(first).last().isSameAs(another);
    }

    @Test
    void theStatusHasWhatRunsOfEachGroup() {
        SchedulingGroup one = create("one");
        create("two");
        assertThat(groups.status(group -> group == one ? 3 : 0))
                .extracting(GroupStatus::name, GroupStatus::runningContexts)
                .containsExactly(tuple("one", 3L), tuple("two", 0L));
    }

    @Test
    void aGroupHasContextsOrNestedGroups() {
        FairPool pool = new FairPool(FairPoolOptions.of(1), () -> 0, unparked -> {}, failure -> {});
        SchedulingGroup parent = pool.createGroup("class", 100, Urgency.NORMAL);
        SchedulingGroup query = pool.createGroup("query", 100, parent);
        SchedulingGroup urgent = pool.createGroup("urgent", 100, Urgency.LATENCY);
        assertThatThrownBy(() -> pool.createContext("context", parent))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("context context, found SchedulingGroup[class]");
        pool.createContext("context", query);
        for (SchedulingGroup refused : new SchedulingGroup[] {query, urgent}) {
            assertThatThrownBy(() -> pool.createGroup("inner", 100, refused))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("to nest inner in, found " + refused);
        }
        assertThat(parent.status(group -> 0).nested())
                .extracting(GroupStatus::name)
                .containsExactly("query");
        pool.removeGroup(query);
        pool.removeGroup(query);
        assertThat(parent.status(group -> 0).nested()).isEmpty();
    }

    @Test
    void aPoolHasSoManyNestedGroupsAndNoMore() {
        SchedulingGroup parent = create("class");
        SchedulingGroup first = groups.nest("first", 1, parent, 1_000_000);
        for (int i = 1; i < 65_536; i++) {
            groups.nest("query", 1, parent, 1_000_000);
        }
        assertThatThrownBy(() -> groups.nest("another", 1, parent, 1_000_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Expected at most 65536 nested scheduling groups, found one more: another");
        groups.remove(first);
        groups.remove(first);
        groups.nest("another", 1, parent, 1_000_000);
        assertThatThrownBy(() -> groups.nest("another", 1, parent, 1_000_000))
                .isInstanceOf(IllegalStateException.class);
    }
}
