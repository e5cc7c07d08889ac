package io.stele.paimon.merge;

import java.util.Arrays;

/**
 * A binary heap of a merge's inputs by the keys of their next rows, with the least key on top.
 * Confined to one driver.
 */
final class InputHeap {
    private MergeInput[] inputs = new MergeInput[8];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    MergeInput top() {
        return inputs[0];
    }

    /** The input with the second least key; there must be at least two inputs. */
    MergeInput second() {
        return size == 2 || inputs[1].compareKeys(inputs[2]) <= 0 ? inputs[1] : inputs[2];
    }

    void add(MergeInput input) {
        if (size == inputs.length) {
            inputs = Arrays.copyOf(inputs, 2 * size);
        }
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (input.compareKeys(inputs[parent]) >= 0) {
                break;
            }
            inputs[at] = inputs[parent];
            at = parent;
        }
        inputs[at] = input;
    }

    MergeInput removeTop() {
        MergeInput top = inputs[0];
        MergeInput last = inputs[--size];
        if (size > 0) {
            inputs[0] = last;
            topChanged();
        }
        return top;
    }

    /** Restores the order after the top has advanced to a later key. */
    void topChanged() {
        MergeInput moved = inputs[0];
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && inputs[child + 1].compareKeys(inputs[child]) < 0) {
                child++;
            }
            if (moved.compareKeys(inputs[child]) <= 0) {
                break;
            }
            inputs[at] = inputs[child];
            at = child;
        }
        inputs[at] = moved;
    }
}
