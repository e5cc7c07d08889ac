package io.stele.benchmarks.retrieval;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * A response handler that copies the bytes of the SDK's asynchronous clients into an array, whose
 * filled length is the result. For one request.
 */
final class IntoArray implements AsyncResponseTransformer<GetObjectResponse, Integer> {
    private final byte[] target;
    private volatile CompletableFuture<Integer> result = new CompletableFuture<>();

    IntoArray(byte[] target) {
        this.target = target;
    }

    static void check(String key, byte[] buffer, int length) {
        if (length != buffer.length) {
            throw new IllegalStateException(
                    "Expected %d bytes of %s, found %d".formatted(buffer.length, key, length));
        }
    }

    @Override
    public CompletableFuture<Integer> prepare() {
        result = new CompletableFuture<>();
        return result;
    }

    @Override
    public void onResponse(GetObjectResponse response) {}

    @Override
    public void onStream(SdkPublisher<ByteBuffer> publisher) {
        publisher.subscribe(
                new Subscriber<>() {
                    private int position;

                    @Override
                    public void onSubscribe(Subscription subscription) {
                        subscription.request(Long.MAX_VALUE);
                    }

                    @Override
                    public void onNext(ByteBuffer piece) {
                        int count = piece.remaining();
                        piece.get(target, position, count);
                        position += count;
                    }

                    @Override
                    public void onError(Throwable failure) {
                        result.completeExceptionally(failure);
                    }

                    @Override
                    public void onComplete() {
                        result.complete(position);
                    }
                });
    }

    @Override
    public void exceptionOccurred(Throwable failure) {
        result.completeExceptionally(failure);
    }
}
