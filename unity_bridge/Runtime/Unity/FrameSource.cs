using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>Where the streamed pictures come from.</summary>
    public abstract class FrameSource : MonoBehaviour
    {
        /// <summary>What is streamed; null until it is there. Stays the same object while it is streamed.</summary>
        public abstract RenderTexture Picture { get; }

        /// <summary>What the pictures show.</summary>
        public abstract View View { get; }

        /// <summary>Why there are no pictures, for the wearer; null where there are, or are about to be.</summary>
        public abstract string Problem { get; }

        /// <summary>
        /// Draws the next picture without the overlay's layer; false where there is nothing new to draw.
        /// <paramref name="view"/> is how the camera stood.
        /// </summary>
        public abstract bool Compose(int overlayLayer, out CameraView view);

        /// <summary>Width and height of a picture of this shape, at most so wide. Even, because encoders want that.</summary>
        public static Vector2Int Size(int widthPx, int heightPx, int maxWidthPx)
        {
            int width = Mathf.Min(widthPx, maxWidthPx) / 2 * 2;
            int height = Mathf.RoundToInt((float)heightPx * width / widthPx / 2f) * 2;
            return new Vector2Int(Mathf.Max(2, width), Mathf.Max(2, height));
        }
    }
}
