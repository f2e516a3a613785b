using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>Cameras that draw for the stream only, when they are told to, and never for the wearer.</summary>
    public static class StreamCamera
    {
        private const int DepthBits = 24;

        public static RenderTexture MakePicture(Vector2Int size)
        {
            var picture = new RenderTexture(size.x, size.y, DepthBits, RenderTextureFormat.ARGB32);
            picture.name = "arwarden picture";
            picture.Create();
            return picture;
        }

        public static Camera Make(string name, RenderTexture picture, float nearM, float farM)
        {
            var camera = new GameObject(name).AddComponent<Camera>();
            camera.enabled = false;
            camera.stereoTargetEye = StereoTargetEyeMask.None;
            camera.clearFlags = CameraClearFlags.SolidColor;
            camera.backgroundColor = Color.black;
            camera.nearClipPlane = nearM;
            camera.farClipPlane = farM;
            camera.targetTexture = picture;
            return camera;
        }

        /// <summary>The layers without the overlay's.</summary>
        public static int Mask(LayerMask layers, int overlayLayer)
        {
            return layers.value & ~(1 << overlayLayer);
        }

        /// <summary>A layer that is drawn anyway; where none is, one that is not the overlay's.</summary>
        public static int LayerOf(int mask, int overlayLayer)
        {
            for (int layer = 0; layer < 32; layer++)
            {
                if ((mask & (1 << layer)) != 0)
                {
                    return layer;
                }
            }
            return overlayLayer == 0 ? 1 : 0;
        }

        public static void End(ref Camera camera, ref RenderTexture picture)
        {
            if (camera != null)
            {
                camera.targetTexture = null;
                Object.Destroy(camera.gameObject);
            }
            if (picture != null)
            {
                picture.Release();
                Object.Destroy(picture);
            }
            camera = null;
            picture = null;
        }
    }
}
