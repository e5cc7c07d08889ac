package io.stele.engine.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The assignment of the functions of an aggregation to shared states. Functions that need the same
 * state share it, as a sum and an average of the same values mostly do. Immutable.
 */
final class StateLayout {
    private final List<AggregateCall> calls;
    private final int[] places; // by call, the index of its state
    private final int[] owners; // by state, the index of its first call

    StateLayout(List<AggregateCall> calls) {
        this.calls = List.copyOf(calls);
        this.places = new int[calls.size()];
        List<Integer> first = new ArrayList<>();
        Map<Object, Integer> known = new HashMap<>();
        for (int i = 0; i < places.length; i++) {
            Integer place = known.putIfAbsent(Accumulator.stateKey(calls.get(i)), first.size());
            if (place == null) {
                place = first.size();
                first.add(i);
            }
            places[i] = place;
        }
        this.owners = first.stream().mapToInt(Integer::intValue).toArray();
    }

    List<AggregateCall> calls() {
        return calls;
    }

    int stateCount() {
        return owners.length;
    }

    /** The index of the state of a call. */
    int place(int call) {
        return places[call];
    }

    /** The index of the first call that uses a state. */
    int owner(int state) {
        return owners[state];
    }
}
